// The parsers that are fuzzed. `make test` tries a fixed number of inputs with each; `scripts/fuzz` tries more, guided by coverage.

/// A parser of bytes from clients, devices or files. Its name is the word for `scripts/fuzz`, and the folder of its corpus.
enum ParserTarget: String, CaseIterable, Codable {
    case requests, replies, captures, json, expressions, charts

    /// Traps if the parser breaks a promise with this input.
    func check(_ input: [UInt8]) {
        switch self {
        case .requests: checkRequests(input)
        case .replies: checkReplies(input)
        case .captures: checkCaptures(input)
        case .json: checkJSON(input)
        case .expressions: checkExpression(input)
        case .charts: checkChart(input)
        }
    }
}
