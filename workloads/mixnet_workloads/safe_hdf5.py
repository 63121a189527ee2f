# Copyright (c) 2026 The ns3-mixnet authors
#
# SPDX-License-Identifier: GPL-2.0-only
"""HDF5 files that may be refused by the system while they are written.

The HDF5 library crashes when a write fails (full disk, quota, limit of file size): it cannot close
its file any more. Here its writes never fail: the first refusal is kept, what could not be written
stays in memory, and whoever writes asks check() from time to time.
"""

import os

import h5py


class _Store:
    """What HDF5 takes for a file."""

    def __init__(self, path, mode):
        flags = os.O_RDWR | (os.O_CREAT | os.O_TRUNC if mode == "w" else 0)
        self._handle = os.open(path, flags, 0o666)
        self._size = os.fstat(self._handle).st_size
        self._at, self._kept = 0, []
        self.error = None

    def seek(self, offset, whence=os.SEEK_SET):
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        return self._at

    def tell(self):
        return self._at

    def write(self, data):
        view, at = memoryview(data).cast("B"), self._at
        self._at += len(view)
        self._size = max(self._size, self._at)
        try:
            while len(view) and self.error is None:
                done = os.pwrite(self._handle, view, at)
                view, at = view[done:], at + done
        except OSError as error:
            self.error = error
        if len(view):
            self._kept.append((at, bytes(view)))
        return len(data)

    def readinto(self, buffer):
        view = memoryview(buffer).cast("B")
        size = max(0, min(len(view), self._size - self._at))
        data = bytearray(os.pread(self._handle, size, self._at).ljust(size, b"\0"))
        for at, part in self._kept:
            first, last = max(at, self._at), min(at + len(part), self._at + size)
            if first < last:
                data[first - self._at : last - self._at] = part[first - at : last - at]
        view[:size] = data
        self._at += size
        return size

    def read(self, size):
        """h5py knows a file by having this."""
        data = bytearray(size)
        return bytes(data[: self.readinto(data)])

    def truncate(self, size):
        try:
            if self.error is None:
                os.ftruncate(self._handle, size)
        except OSError as error:
            self.error = error
        self._size = size

    def flush(self):
        """Nothing is buffered here."""

    def close(self):
        try:
            os.close(self._handle)
        except OSError as error:
            self.error = self.error or error


class SafeHdf5:
    """An h5py.File as `file`; mode "w" or "r+". OSError of the constructor, check(), and close()
    says why the system refused. As a context manager it gives the h5py.File."""

    def __init__(self, path, mode="w"):
        self._store = _Store(path, mode)
        try:
            self.file = h5py.File(self._store, mode, track_order=False)
            self.check()
        except BaseException:
            self._store.close()
            raise

    def check(self):
        if self._store.error is not None:
            raise OSError(self._store.error.errno, self._store.error.strerror)

    def close(self):
        self.file.close()
        self._store.close()
        self.check()

    def __enter__(self):
        return self.file

    def __exit__(self, kind, value, traceback):
        self.file.close()
        self._store.close()
        if kind is None:
            self.check()
