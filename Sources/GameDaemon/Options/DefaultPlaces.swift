import Glibc

/// Where the daemon and its clients meet when nobody says otherwise.
public enum DefaultPlaces {
    /// `/run/gamed` for root, the user's own runtime directory for a user.
    public static let socket = directory + "/gamed.sock"

    private static let directory: String = {
        if geteuid() == 0 { return "/run/gamed" }
        if let runtime = getenv("XDG_RUNTIME_DIR"), runtime.pointee != 0 { return String(cString: runtime) + "/gamed" }
        return "/tmp/gamed-\(geteuid())"
    }()
}
