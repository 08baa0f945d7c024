// Who may come in, as the options and the token file say it.

import Commands
import Posix

extension Options {
    /// Who may come in; throws if clients need tokens and there are none.
    func access() throws -> Access {
        Access(tokens: try tokens(), local: localAccess, trustsLoopback: trustsLoopback)
    }

    /// The configured tokens; throws if they are needed and missing.
    func tokens() throws -> TokenTable {
        if let tokenFile { return try locating("token-file") { try TokenFile.read(tokenFile).table } }
        if let text = environmentVariable("GAMED_TOKEN") { return TokenTable(try Token(text, from: "in GAMED_TOKEN")) }
        try checkThatNobodyNeedsOne()
        return .none
    }

    private func checkThatNobodyNeedsOne() throws {
        let places = addresses.map { ("listen", $0) } + (try PagePlace(self).asked.map { [("http", $0)] } ?? [])
        if let (setting, open) = places.first(where: { !$0.1.isLoopback }) {
            let error = UsageError(
                "other machines can reach \(open), so clients need a token there: --token-file FILE, or GAMED_TOKEN=…")
            throw located(error, setting, open.description)
        }
        guard let address = addresses.first, !trustsLoopback else { return }
        let error = UsageError(
            "every user of this machine can reach \(address), so clients need a token there: --token-file FILE, or GAMED_TOKEN=…; "
                + "--trust-loopback asks nobody on this machine for one")
        throw located(error, "listen", address.description)
    }
}
