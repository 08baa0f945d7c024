// The program, from its command line to its exit status.

import Client
import Commands
import Devices
import Glibc
import Posix
import Logging
import Memory
import Systemd
import Texts

extension Service {
    package static func main(_ arguments: [String], program: String = "gamed", hosting: Hosting) -> ExitStatus {
        StandardDescriptors.fill()
        let notify = environmentVariable("NOTIFY_SOCKET").flatMap(NotifySocket.init)
        do {
            if let number = CommandWords.firstUnreadable {
                throw UsageError("word \(number) of the command line is not text in UTF-8")
            }
            let configuration = try Configuration(arguments, of: program)
            return try run(configuration, program, hosting)
        } catch let error as StreamError where error.isReaderGone {
            return ExitStatus(of: error)
        } catch {
            // For `systemctl status`, which shows one line. Of several, the first may be only the heading of the others.
            notify?.send("STATUS=\(lines(of: error).prefix(2).joined(separator: " ").printable)")
            return complain([error], program)
        }
    }

    private static func run(_ configuration: Configuration, _ program: String, _ hosting: Hosting) throws -> ExitStatus {
        let options = configuration.options
        if options.task != .serve { signal(SIGPIPE, SIG_DFL) }
        switch options.task {
        case .serve:
            try TurnClock.check()
            try serve(configuration, hosting)
        case .check:
            try TurnClock.check()
            try options.checkDescriptors()
            let check = Check(configuration, hosting(options, nil, .silent))
            guard check.mistakes.isEmpty else { return complain(check.mistakes, program) }
            for line in check.lines { try StandardStream.output.writeLine(line) }
        case .initialize: try initialize(configuration)
        case .importDirectory(let directory): try StoreTransfer(configuration, .importing, directory).run()
        case .exportDirectory(let directory): try StoreTransfer(configuration, .exporting, directory).run()
        case .showHelp: try StandardStream.output.writeLine(options.help)
        case .showVersion: try StandardStream.output.writeLine(options.version)
        case .showManual(let page): try StandardStream.output.writeLine(page.text)
        case .showCompletions(let shell):
            let script = shell.completionScript(of: program, from: "\(program) --completions \(shell)")
            try StandardStream.output.write(script)
        }
        return .success
    }

    /// Tells all of them; the first one decides the exit status.
    private static func complain(_ errors: [any Error], _ program: String) -> ExitStatus {
        for error in errors {
            let lines = lines(of: error)
            Log.standardError(level: .error).complain(["\(program): \(lines[0])"] + lines.dropFirst())
        }
        return errors.first.map { ExitStatus(of: $0) } ?? .success
    }

    /// A flow's problems are one error, with a line for each. An error about a device file can quote line ends; its `lines` keep them together.
    static func lines(of error: any Error) -> [String] {
        if let error = error as? BluetoothFileError { return error.lines }
        return "\(error)".split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// The service is leaked: freeing a million sessions one by one would only delay the exit.
    private static func serve(_ configuration: Configuration, _ hosting: Hosting) throws {
        // Files are read again once they have been read: until then it would end the process.
        Signals.block(SIGHUP)
        if let error = configuration.error { throw error }
        let manager = try ServiceManager.taken()
        var options = configuration.options
        let activation = try Activation(manager.sockets, options)
        options.use(activation.addresses)
        options.report(configuration.warnings + options.ineffectiveSettings)
        let service = try Service(options, from: manager, activation, hosting: hosting)
        try service.run()
        Borrowed(service).retain()
    }
}

extension Configuration {
    /// The options of a task that works on the database. Throws if there are mistakes, and logs the warnings.
    func optionsOfTask() throws -> Options {
        if let error { throw error }
        options.report(warnings)
        return options
    }
}

extension Options {
    /// Logs the warnings, as the options say.
    fileprivate func report(_ warnings: [FileWarning]) {
        let log = Log.standardError(level: logLevel, zone: logTime)
        for warning in warnings { log.warning(warning.logLine) }
    }
}
