// The service. All it does is in GameDaemon, so that others can host flows of their own with it.

import GameDaemon
import Glibc

exit(Service.main(Array(CommandLine.arguments.dropFirst())).rawValue)
