// The clocks.

extension Finding {
    /// No machine that this runs on has an earlier date.
    private static let tooEarly = 1_735_689_600

    /// `isSynchronized` is nil where the system does not say.
    static func clock(_ report: DaemonReport, isSynchronized: Bool?, seconds: Int) -> Finding {
        guard seconds > tooEarly else {
            return .bad(
                "clock", "this machine's date is before 2025",
                "set it (timedatectl); timers after a restart depend on it")
        }
        if report["time"] == "virtual" {
            return .doubtful(
                "clock", "virtual time: it passes only with ADVANCE",
                "for real time, start without --time virtual")
        }
        guard isSynchronized != false else {
            return .doubtful(
                "clock", "no program synchronizes this machine's clock; timers after a restart depend on it",
                "install systemd-timesyncd or chrony")
        }
        return .good("clock", isSynchronized == nil ? "system clock" : "system clock, synchronized")
    }
}
