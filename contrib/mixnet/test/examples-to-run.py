#! /usr/bin/env python3

# Examples that test.py runs besides the test suites: (name and arguments, run, run under valgrind).
cpp_examples = [
    ("mixnet-quickstart --fabric=fat-tree", "True", "False"),
    ("mixnet-quickstart --fabric=rail-optimized", "True", "False"),
    ("mixnet-quickstart --fabric=topoopt", "True", "False"),
    ("mixnet-quickstart --fabric=mixnet --policy=paper", "True", "False"),
    ("mixnet-quickstart --fabric=mixnet --policy=gain", "True", "False"),
    ("mixnet-rdma-applications", "True", "False"),
    ("mixnet-own-strategy", "True", "False"),
    ("mixnet-own-strategy --planner=ns3::BirkhoffCircuitPlanner", "True", "False"),
    ("mixnet-new-switch", "True", "False"),
    ("mixnet-new-switch --drain=ns3::ImmediateDrainPolicy --loss=5", "True", "False"),
    ("mixnet-run --help", "True", "False"),
    ("mixnet-collectives --op=all-to-all --sizes=8MiB..16MiB", "True", "False"),
    ("mixnet-collectives --algorithm=hierarchical --servers=2 --sizes=8MiB", "True", "False"),
    ("mixnet-collectives --algorithm=two-level --fabric=mixnet --servers=16 --sizes=8MiB", "True", "False"),
    ("mixnet-collectives --algorithm=tree --fidelity=packet --servers=2 --gpus=1 --sizes=1MiB", "True", "False"),
    ("mixnet-expert-exchange --tokens=1,128 --deduplication=rank", "True", "False"),
    ("mixnet-expert-exchange --servers=8 --group-limit=4 --tokens=256", "True", "False"),
    ("mixnet-expert-exchange --servers=2 --gpus=2 --tokens=64 --fidelity=packet", "True", "False"),
    ("mixnet-predictors --help", "True", "False"),
]

# Python examples: (name, run).
python_examples = []
