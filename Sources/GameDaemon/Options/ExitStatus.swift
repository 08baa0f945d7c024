import Commands
import Devices
import Network
import Posix
import Store

/// What the process says when it ends, in the numbers of sysexits.h.
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
        case is BluetoothFileError: self = .badInput
        case is ListenerError: self = .cannotCreate
        case is TokenError: self = .configuration
        case is StreamError: self = .inputOutput
        case let error as StoreError: self = error.kind == .io ? .inputOutput : .configuration
        default: self = .software
        }
    }

    /// For the manual.
    var sentence: String {
        switch self {
        case .success: "it did what it was asked to do; so it also ends after SIGTERM and SIGINT"
        case .usage: "the command line cannot be followed"
        case .badInput: "a file of the simulated Bluetooth devices cannot be used"
        case .software: "something went wrong that should not"
        case .cannotCreate: "it cannot listen where it should"
        case .inputOutput:
            "the sessions that were kept cannot be read, or no more can be kept, or what it has to say cannot be written"
        case .configuration: "a file or folder that it needs is not as it must be, or is another gamed's"
        }
    }
}
