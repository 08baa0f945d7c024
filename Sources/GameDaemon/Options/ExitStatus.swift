import Commands
import Devices
import Network
import Posix
import Store
import Systemd
import TLS

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
        case is TokenError, is TLSError, is AccessError, is ConfigurationError, is ActivationError, is WallClockError:
            self = .configuration
        case let error as LocatedError: self = error.status
        case is StreamError: self = .inputOutput
        case let error as StoreError: self = error.kind == .io ? .inputOutput : .configuration
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
                + "another daemon, or the machine's clock is wrong by centuries"
        }
    }
}
