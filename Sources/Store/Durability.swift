/// When what has been appended is safe from a crash of the machine. What has been appended is always safe from one of the process.
package enum Durability: String, Sendable, CaseIterable {
    /// When `append` returns.
    case always
    /// When `sync` returns; somebody calls it once a second.
    case everysec
}
