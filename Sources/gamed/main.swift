// The service, with the flows that come with it. All that it does is in GameDaemon, so that others can host flows of their own.

import GameDaemon

Gamed.main(flows: [], withBuiltIn: true)
