// A mistake in the configuration, in a file or in the environment.

import Commands
import Devices
import Network
import Posix
import Store
import Systemd
import Texts
import TLS

/// A mistake, in one sentence, with its place.
struct ConfigurationMistake: Equatable, Sendable, CustomStringConvertible {
    let origin: Origin
    let sentence: String
    /// Whether the sentence begins with the setting's name.
    var namesSetting = false

    /// The input may hold any character, and is escaped.
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

    /// A usage error of the command line is a configuration error here.
    var status: ExitStatus {
        let status = ExitStatus(of: cause)
        return status == .usage ? .configuration : status
    }
}

/// The exit status of the process, after sysexits.h.
package enum ExitStatus: Int32, CaseIterable {
    case success = 0
    case usage = 64
    case badInput = 65
    case software = 70
    case cannotCreate = 73
    case inputOutput = 74
    case configuration = 78

    init(of error: any Error) {
        switch error {
        case is UsageError: self = .usage
        case is BluetoothFileError, is FlowFilesError: self = .badInput
        case is ListenerError: self = .cannotCreate
        case is TLSError, is AccessError, is ConfigurationError, is ActivationError, is WallClockError,
            is AccountFile.Unavailable, is DescriptorError:
            self = .configuration
        case let error as LocatedError: self = error.status
        case is StreamError: self = .inputOutput
        case let error as StoreError: self = error.isOfConfiguration ? .configuration : .inputOutput
        default: self = .software
        }
    }

    /// For the manual.
    var sentence: String {
        switch self {
        case .success: "success, also after SIGTERM and SIGINT"
        case .usage: "the command line is wrong"
        case .badInput: "a flow file, or one for simulated Bluetooth devices, cannot be used"
        case .software: "an internal error"
        case .cannotCreate: "it cannot listen at an address"
        case .inputOutput:
            "saved sessions cannot be read or written, or output cannot be written"
        case .configuration:
            "the configuration file or the environment is wrong, or a file or folder that it needs is damaged or unsafe, or belongs to "
                + "another daemon or user, or too few files may be open, or the machine's clock is wrong by centuries"
        }
    }
}
