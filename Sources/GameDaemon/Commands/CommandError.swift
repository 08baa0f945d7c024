/// Why a command was not carried out: a code for programs, a sentence for people.
struct CommandError: Error {
    let code: String
    let sentence: String

    init(_ code: String, _ sentence: String) {
        self.code = code
        self.sentence = sentence
    }

    static func noSession(_ name: String) -> CommandError {
        CommandError("NOSESSION", "there is no session '\(name)'; NEW \(name) FLOW begins one")
    }

    static func noFlow(_ name: String, _ flows: [FlowType]) -> CommandError {
        CommandError("NOFLOW", "there is no flow '\(name)'; there are \(flows.map(\.name).joined(separator: ", "))")
    }

    static func syntax(_ syntax: String) -> CommandError {
        CommandError("ERR", "syntax error; the command is: \(syntax)")
    }
}
