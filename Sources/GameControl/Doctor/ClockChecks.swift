// The clocks.

extension Finding {
    /// No machine that this runs on has an earlier date.
    private static let tooEarly = 1_735_689_600

    /// `isSynchronized` is nil where the system does not say.
    static func clock(_ report: DaemonReport, isSynchronized: Bool?, seconds: Int) -> Finding {
        guard seconds > tooEarly else {
            return .bad(
                "clock", "this machine's date lies before 2025",
                "set it (timedatectl), or timers that last over a restart are wrong")
        }
        if report["time"] == "virtual" {
            return .doubtful(
                "clock", "flows run on virtual time: it only passes with ADVANCE",
                "start without --time virtual, if they should not")
        }
        guard isSynchronized != false else {
            return .doubtful(
                "clock", "nothing synchronizes this machine's clock; timers that last over a restart go by it",
                "install systemd-timesyncd or chrony")
        }
        return .good("clock", isSynchronized == nil ? "the machine's" : "the machine's, synchronized")
    }
}
