// What systemd tells a service that it starts, in its environment.

import Glibc
import Posix

package struct ServiceManager {
    /// Nil where nobody wants to be told.
    package let notify: NotifySocket?
    /// The watchdog's interval in microseconds; nil where there is none.
    package let watchdog: Int?
    package let sockets: [ActivatedSocket]
    /// Whether what is printed is kept in systemd's journal, which others may read.
    package let keepsOutput: Bool

    private static let variables = [
        "NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    ]

    /// Takes the variables out of the environment, since they are for this process alone. Called before there is a second thread.
    package static func taken() throws(ActivationError) -> ServiceManager {
        defer { for variable in variables { unsetenv(variable) } }
        let notify = environmentVariable("NOTIFY_SOCKET").flatMap(NotifySocket.init)
        let isService = environmentVariable("NOTIFY_SOCKET") != nil || environmentVariable("JOURNAL_STREAM") != nil
        return ServiceManager(
            notify: notify, watchdog: notify == nil ? nil : Watchdog.interval(environmentVariable),
            sockets: try ActivatedSockets.read(environmentVariable),
            keepsOutput: isService && isatty(STDOUT_FILENO) == 0)
    }
}
