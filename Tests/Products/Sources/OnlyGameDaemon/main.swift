// The daemon as a library.

import GameDaemon
import Glibc

exit(Service.main(["--version"]).rawValue)
