// The token of a client, and where it was given.

package struct GivenToken: Equatable, Sendable {
    package enum Source: Equatable, Sendable {
        /// `--token`.
        case option
        /// `GAMED_TOKEN`.
        case variable
        /// `--token-file`, with its path.
        case file(String)
    }

    package let secret: String
    package let source: Source

    package init(_ secret: String, from source: Source) { (self.secret, self.source) = (secret, source) }

    /// Its source, as words behind `the token`.
    package var place: String {
        switch source {
        case .option: "of --token"
        case .variable: "in the variable GAMED_TOKEN"
        case .file(let path): "in \(path) (--token-file)"
        }
    }
}
