// The command-line client. GameControl has everything but the subcommands that run flows themselves.

import GameControl
import Simulation
import Glibc

exit(Control.main(Array(CommandLine.arguments.dropFirst()), rehearsals: .rehearsals(of: .builtIn)))
