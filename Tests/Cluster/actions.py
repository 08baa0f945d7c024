# What happens to the cluster under load, one thing in each round.

import signal
import time

from nodes import start


def kill_a_node(trial):
    node = trial.random.choice(trial.nodes)
    node.kill()
    # Until others have all that it had, or for a moment only: then it comes back before its lease has run out.
    waits = trial.random.random() < 0.7
    gap = trial.wait_taken(node) if waits else 0
    node.start()
    return f"{node.name}, taken over after {gap:.1f} s," if waits else f"{node.name}, and back at once,"


def freeze_a_node(trial):
    node, seconds = trial.random.choice(trial.nodes), trial.random.uniform(1, 7)
    node.freeze()
    time.sleep(seconds)
    node.resume()
    time.sleep(0.5)
    return f"{node.name} for {seconds:.1f} s"


def kill_the_database(trial):
    trial.database.kill()
    time.sleep(trial.random.choice([0, 1, 4]))
    trial.database.start()
    time.sleep(1)


def restart_the_database(trial):
    trial.database.process.send_signal(signal.SIGINT)
    trial.database.process.wait()
    trial.database.start()
    time.sleep(1)


def freeze_the_database(trial):
    seconds = trial.random.uniform(0.5, 6)
    trial.database.freeze()
    time.sleep(seconds)
    trial.database.resume()
    time.sleep(0.5)
    return f"for {seconds:.1f} s"


def cut_connections(trial):
    node = trial.random.choice(trial.nodes)
    for _ in range(5):
        node.network.cut()
        time.sleep(trial.random.uniform(0, 0.4))
    return node.name


def swallow(trial):
    node, way = trial.random.choice(trial.nodes), trial.random.choice(["up", "down"])
    node.network.swallows[way] = True
    time.sleep(trial.random.uniform(0.1, 5))
    node.network.heal()
    return f"what goes {way} between {node.name} and the database"


def delay(trial):
    node, most = trial.random.choice(trial.nodes), trial.random.choice([0.05, 0.3, 1.5])
    node.network.delay = most
    time.sleep(3)
    node.network.heal()
    return f"up to {most} s between {node.name} and the database"


def part_a_node(trial):
    """No connection to the database is made any more, and those that are there end."""
    node, seconds = trial.random.choice(trial.nodes), trial.random.uniform(0.5, 6)
    node.network.refuses = True
    node.network.cut()
    time.sleep(seconds)
    node.network.heal()
    return f"{node.name} from the database for {seconds:.1f} s"


def leave_and_join(trial):
    node = trial.random.choice(trial.nodes)
    took = node.leave()
    trial.wait_taken(node)
    node.start()
    time.sleep(1.5)
    return f"{node.name} in {took:.2f} s,"


def restart_all(trial):
    for node in trial.nodes:
        node.kill()
    start(trial.nodes)


ACTIONS = [
    kill_a_node, freeze_a_node, kill_the_database, restart_the_database, freeze_the_database, cut_connections, swallow, delay,
    part_a_node, leave_and_join, restart_all,
]
