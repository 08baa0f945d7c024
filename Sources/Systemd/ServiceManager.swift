// The environment that systemd gives to a service at its start.

import Glibc
import Posix

package struct ServiceManager {
    /// Nil if systemd does not want notifications.
    package let notify: NotifySocket?
    /// The watchdog's interval in microseconds; nil without a watchdog.
    package let watchdog: Int?
    package let sockets: [ActivatedSocket]
    /// Whether output is kept in systemd's journal, which other users may read.
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

// MARK: - The watchdog's interval

package enum Watchdog {
    /// The interval of WATCHDOG_USEC in microseconds; nil if systemd expects no beat, or another process's.
    package static func interval(_ value: (String) -> String?) -> Int? {
        guard let interval = value("WATCHDOG_USEC").flatMap({ Int($0) }), interval > 0 else { return nil }
        guard let process = value("WATCHDOG_PID") else { return interval }
        return Int32(process) == getpid() ? interval : nil
    }
}

// MARK: - The sockets that systemd has opened for the service

package enum ActivatedSockets {
    private static let first: Int32 = 3
    private static let maxSockets = 100

    /// None if there are none, or if they are another process's. Every one is closed if one is wrong.
    package static func read(
        _ value: (String) -> String?, from first: Int32 = Self.first
    ) throws(ActivationError) -> [ActivatedSocket] {
        guard let process = value("LISTEN_PID"), Int32(process) == getpid(), let counted = value("LISTEN_FDS") else {
            return []
        }
        guard let count = Int32(counted), (0...Int32(maxSockets)).contains(count) else { throw .unreadable(counted) }
        let names = (value("LISTEN_FDNAMES") ?? "").split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        var sockets: [ActivatedSocket] = []
        for index in 0..<Int(count) {
            let number = first + Int32(index)
            guard fcntl(number, F_GETFD) >= 0, let descriptor = Descriptor(number) else { throw .notOpen(number) }
            sockets.append(try ActivatedSocket(descriptor, named: index < names.count ? names[index] : "unknown"))
        }
        guard sockets.count(where: { $0.role == .http }) <= 1 else { throw .twice(.http) }
        return sockets
    }
}
