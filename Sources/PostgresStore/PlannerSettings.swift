// What the planner is told: it plans a prepared statement once, maybe while the tables are empty, and keeps that until they are analyzed.

enum PlannerSettings {
    /// Looking through a whole table is the best plan for an empty one, and then each commit would look through the whole log. There
    /// is an index for everything that the daemon asks.
    static let byIndex = "SET enable_seqscan = off"
}
