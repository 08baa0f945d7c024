/// When an append is safe from a crash of the machine. It is safe from a crash of the process at once.
package enum Durability: String, Sendable, CaseIterable {
    /// When `append` returns.
    case always
    /// When `sync` returns, which is called once a second.
    case everysec
}
