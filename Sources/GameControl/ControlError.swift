// Why gamectl did not do what it was asked to, and what it says to whoever started it.

import StandardStreams

/// What the process says when it ends.
package enum ControlStatus: Int32, Sendable {
    case accepted = 0
    case refused = 1
    case noDaemon = 2
    case usage = 64
    case inputOutput = 74
}

package enum ControlError: Error, Equatable, CustomStringConvertible {
    /// The daemon's own words.
    case refused(code: String, sentence: String)
    /// There is none, or none any more.
    case noDaemon(String)
    /// A command line that cannot be followed, or a file that cannot be read.
    case usage(String)
    /// Standard input cannot be read, or standard output not be written.
    case stream(StreamError)

    package var status: ControlStatus {
        switch self {
        case .refused: .refused
        case .noDaemon: .noDaemon
        case .usage: .usage
        case .stream: .inputOutput
        }
    }

    /// Whether nothing that could follow makes sense any more.
    var endsScript: Bool {
        switch self {
        case .refused, .usage: false
        case .noDaemon, .stream: true
        }
    }

    /// For programs.
    package var code: String {
        switch self {
        case .refused(let code, _): code
        case .noDaemon: "NODAEMON"
        case .usage: "USAGE"
        case .stream: "IO"
        }
    }

    package var sentence: String {
        switch self {
        case .refused(_, let sentence), .noDaemon(let sentence), .usage(let sentence): sentence
        case .stream(let error): error.description
        }
    }

    package var description: String {
        if case .refused(let code, let sentence) = self { "\(code) \(sentence)" } else { sentence }
    }
}
