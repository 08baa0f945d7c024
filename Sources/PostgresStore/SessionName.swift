// The database's name for a node's sessions, so that a node which ends another can end its sessions, too.

enum SessionName {
    static func log(of node: String) -> String { "gamed log \(node)" }
    static func tables(of node: String) -> String { "gamed tables \(node)" }
}
