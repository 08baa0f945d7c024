// The command-line client. All it does is in GameControl, so that it can be tested.

import GameControl
import Glibc

exit(Control.main(Array(CommandLine.arguments.dropFirst())))
