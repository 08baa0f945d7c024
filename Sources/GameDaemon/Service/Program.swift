// The whole program: from the words of the command line to the exit status.

import Devices
import Glibc
import Installation
import Logging
import Posix

extension Service {
    package static func main(_ arguments: [String]) -> ExitStatus { main(arguments, hosting: flows) }

    package static func main(_ arguments: [String], hosting: Hosting) -> ExitStatus {
        StandardDescriptors.fill()
        do {
            if let number = CommandWords.firstUnreadable {
                throw UsageError("word \(number) of the command line is not text in UTF-8")
            }
            let options = try Options(parsing: arguments)
            if options.task != .serve { signal(SIGPIPE, SIG_DFL) }
            switch options.task {
            case .serve: try serve(options, hosting)
            case .check: for line in try Check(options: options).run() { try StandardStream.output.say(line) }
            case .showHelp: try StandardStream.output.say(Options.help)
            case .showVersion: try StandardStream.output.say("gamed \(gamedVersion)")
            case .showManual(let page): try StandardStream.output.say(page.text)
            }
            return .success
        } catch let error as StreamError where error.isReaderGone {
            return ExitStatus(of: error)
        } catch {
            let lines = (error as? BluetoothFileError)?.lines ?? ["\(error)"]
            Log.standardError(level: .error).complain(["gamed: \(lines[0])"] + lines.dropFirst())
            return ExitStatus(of: error)
        }
    }

    /// What it holds goes with the process: to give a million sessions back one by one would take its operator's time.
    private static func serve(_ options: Options, _ hosting: Hosting) throws {
        let service = try Service(options, hosting: hosting)
        try service.run()
        _ = Unmanaged.passRetained(service)
    }
}
