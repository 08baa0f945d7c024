// Results of a client such as gamectl, and the reasons why it failed.

import Posix
import Texts

/// The exit status of the process. Of several, a command returns the greatest.
package enum ControlStatus: Int32, CaseIterable, Comparable, Sendable {
    case accepted = 0
    case refused = 1
    case noDaemon = 2
    case usage = 64
    case badInput = 65
    case inputOutput = 74

    /// For help and manual.
    var meaning: String {
        switch self {
        case .accepted: "everything was accepted"
        case .refused: "something was refused, or a scenario, replay or check failed"
        case .noDaemon: "no daemon answers"
        case .usage: "the command line is wrong"
        case .badInput: "a flow file, scenario, token or certificate has errors"
        case .inputOutput: "a file, input or output cannot be read or written"
        }
    }

    package static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

package enum ControlError: Error, Equatable, CustomStringConvertible {
    /// The daemon refused, with its own code and message.
    case refused(code: ErrorCode, sentence: String)
    /// No daemon answers, or it no longer does.
    case noDaemon(String)
    /// No connection can be made, for the reason of a file of TLS.
    indirect case noConnection(because: ControlError)
    /// The command line is wrong.
    case usage(String)
    /// A flow file has errors: a line for each.
    case badFlow(String)
    /// A file of another kind has errors.
    case badFile(String)
    /// Files cannot be read: a line for each, and for each error of others that were named beside them.
    case unreadable(String)
    /// A file cannot be read or written.
    case file(FileError)
    /// Standard input cannot be read, or standard output cannot be written.
    case stream(StreamError)

    package var status: ControlStatus {
        switch self {
        case .refused: .refused
        case .noDaemon: .noDaemon
        case .noConnection(let reason): reason.status
        case .usage: .usage
        case .badFlow, .badFile: .badInput
        case .unreadable, .file, .stream: .inputOutput
        }
    }

    /// Whether a script cannot go on after it.
    package var endsScript: Bool {
        switch self {
        case .refused, .usage, .badFlow, .badFile, .unreadable, .file: false
        case .noDaemon, .noConnection, .stream: true
        }
    }

    /// For programs.
    package var code: ErrorCode {
        switch self {
        case .refused(let code, _): code
        case .noDaemon: .noDaemon
        case .noConnection(let reason): reason.code
        case .usage: .usage
        case .badFlow: .badFlow
        case .badFile: .badConfiguration
        case .unreadable, .file, .stream: .inputOutput
        }
    }

    package var sentence: String {
        switch self {
        case .refused(_, let sentence), .noDaemon(let sentence), .usage(let sentence), .badFlow(let sentence),
            .badFile(let sentence), .unreadable(let sentence):
            sentence
        case .noConnection(let reason): reason.sentence
        case .file(let error): error.description
        case .stream(let error): error.description
        }
    }

    package var description: String {
        if case .refused(let code, let sentence) = self { "\(code) \(sentence)" } else { sentence }
    }
}

extension ErrorCode {
    /// Whether the error passes by itself, while nothing has happened: a daemon or a node is not ready in its first seconds.
    package var maySubside: Bool { [.loading, .clusterDown, .tryAgain].contains(self) }
}
