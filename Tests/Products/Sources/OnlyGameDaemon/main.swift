// The whole daemon, with the flows that come with it.

import GameDaemon

Gamed.main(flows: [], withBuiltIn: true)
