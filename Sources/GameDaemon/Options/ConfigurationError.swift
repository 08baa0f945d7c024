// What is wrong with the configuration, in a file or in the environment.

import Posix
import Texts

/// A mistake, in one sentence, with its place.
struct ConfigurationMistake: Equatable, Sendable, CustomStringConvertible {
    let origin: Origin
    let sentence: String
    /// Whether the sentence begins with the setting's name.
    var namesSetting = false

    /// What was given may hold anything, and is escaped.
    var description: String { origin.introducing(sentence.printable, namesSetting: namesSetting) }
}

extension Origin {
    /// `gamed.json5:3:9: error: …`, as compilers write it and editors understand it.
    fileprivate func introducing(_ sentence: String, namesSetting: Bool = false) -> String {
        switch self {
        case .file: "\(self): error: \(sentence)"
        case .environment(let name), .option(let name): namesSetting ? sentence : "\(name): \(sentence)"
        }
    }
}

/// All mistakes in the configuration.
struct ConfigurationError: Error, CustomStringConvertible {
    let mistakes: [ConfigurationMistake]

    var description: String {
        let lines = mistakes.map(\.description)
        if lines.count == 1 { return lines[0] }
        return (["the configuration has \(lines.count) mistakes:"] + lines).joined(separator: "\n")
    }
}

/// An error about something that a file or the environment asks for.
struct LocatedError: Error, CustomStringConvertible {
    let origin: Origin
    let cause: any Error

    var description: String { origin.introducing("\(cause)") }

    /// What would be a wrong command line is a wrong configuration here.
    var status: ExitStatus {
        let status = ExitStatus(of: cause)
        return status == .usage ? .configuration : status
    }
}
