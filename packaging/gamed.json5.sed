# What the installed configuration sets, of all that stands in it at its default: members of the group gamed may talk to the daemon.
# (A line that gamed does not print yet is not changed.)
s|^  // "allow-group": .*|  "allow-group": ["gamed"],|
