// The command-line client. GameControl has everything but the subcommands that run flows themselves.

import GameControl
import GameRehearsal
import Glibc

exit(Control.main(Array(CommandLine.arguments.dropFirst()), rehearsals: [.test, .replay]))
