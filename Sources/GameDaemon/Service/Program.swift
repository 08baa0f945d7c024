// The whole program: from the words of the command line to the exit status.

extension Service {
    public static func main(_ arguments: [String]) -> ExitStatus {
        do {
            let options = try Options(parsing: arguments)
            switch options.task {
            case .serve: try Service(options).run()
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
}
