// The command-line client. GameControl has everything but the subcommands that run flows themselves.

import GameControl
import GameRehearsal
import Glibc
import Rehearsal

exit(Control.main(Array(CommandLine.arguments.dropFirst()), rehearsals: .rehearsals(of: .builtIn)))
