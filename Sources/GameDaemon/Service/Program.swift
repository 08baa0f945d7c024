// The whole program: from the words of the command line to the exit status.

extension Service {
    public static func main(_ arguments: [String]) -> ExitStatus { main(arguments, hosting: flows) }

    package static func main(_ arguments: [String], hosting: Hosting) -> ExitStatus {
        do {
            let options = try Options(parsing: arguments)
            switch options.task {
            case .serve: try serve(options, hosting)
            case .check: for line in try Check(options: options).run() { StandardStream.output.say(line) }
            case .showHelp: StandardStream.output.say(Options.help)
            case .showVersion: StandardStream.output.say("gamed \(gamedVersion)")
            case .showManual(let page): StandardStream.output.say(page.text)
            }
            return .success
        } catch {
            Log.standardError(level: .error).complain("gamed: \(error)")
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
