// What the database shows a node's sessions as, so that whoever ends the node can end them, too.

enum SessionName {
    static func log(of node: String) -> String { "gamed log \(node)" }
    static func tables(of node: String) -> String { "gamed tables \(node)" }
}
