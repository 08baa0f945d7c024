// Results of a client such as gamectl, and the reasons why it failed.

import Posix
import Texts

/// The exit status of the process.
package enum ControlStatus: Int32, Sendable {
    case accepted = 0
    case refused = 1
    case noDaemon = 2
    case usage = 64
    case badInput = 65
    case inputOutput = 74
}

package enum ControlError: Error, Equatable, CustomStringConvertible {
    /// The daemon refused, with its own code and message.
    case refused(code: ErrorCode, sentence: String)
    /// No daemon answers, or it no longer does.
    case noDaemon(String)
    /// The command line is wrong, or a file that it names has mistakes.
    case usage(String)
    /// A flow file has errors: a line for each.
    case badFlow(String)
    /// A file cannot be read or written.
    case file(FileError)
    /// Standard input cannot be read, or standard output cannot be written.
    case stream(StreamError)

    package var status: ControlStatus {
        switch self {
        case .refused: .refused
        case .noDaemon: .noDaemon
        case .usage: .usage
        case .badFlow: .badInput
        case .file, .stream: .inputOutput
        }
    }

    /// Whether a script cannot go on after it.
    package var endsScript: Bool {
        switch self {
        case .refused, .usage, .badFlow, .file: false
        case .noDaemon, .stream: true
        }
    }

    /// For programs.
    package var code: ErrorCode {
        switch self {
        case .refused(let code, _): code
        case .noDaemon: .noDaemon
        case .usage: .usage
        case .badFlow: .badFlow
        case .file, .stream: .inputOutput
        }
    }

    package var sentence: String {
        switch self {
        case .refused(_, let sentence), .noDaemon(let sentence), .usage(let sentence), .badFlow(let sentence): sentence
        case .file(let error): error.description
        case .stream(let error): error.description
        }
    }

    package var description: String {
        if case .refused(let code, let sentence) = self { "\(code) \(sentence)" } else { sentence }
    }
}
