// AUTH: who is there.

import RESP

extension Command {
    static let auth: Command = Command(
        name: "AUTH", group: .connection,
        syntax: "AUTH [user] password",
        summary: "Refused: this gamed asks for no password.",
        examples: ["AUTH s3cret"],
        words: 2...3, flags: [.beforeAuthentication]
    ) { call throws(CommandError) in throw noPassword }
}
