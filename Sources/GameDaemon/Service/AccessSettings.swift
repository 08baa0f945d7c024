// Who may come in, as the options and the token file say it.

import Commands
import Posix
import Systemd

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
            throw needsToken(
                "other machines can reach \(open), so clients need a token there: --token-file FILE, or GAMED_TOKEN=…", open,
                setting)
        }
        guard let address = addresses.first, !trustsLoopback else { return }
        throw needsToken(
            "every user of this machine can reach \(address), so clients need a token there: --token-file FILE, or GAMED_TOKEN=…; "
                + "--trust-loopback asks nobody on this machine for one", address, "listen")
    }

    /// No setting is to blame where the service manager has opened the socket.
    private func needsToken(_ sentence: String, _ address: TcpAddress, _ setting: String) -> any Error {
        if activated.has(address) { return ActivationError.open(sentence) }
        return located(UsageError(sentence), setting, address.description)
    }
}
