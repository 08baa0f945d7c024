import Testing
@testable import Commands

@Suite struct `A command's syntax` {
    private func value(
        _ name: String, token: String? = nil, isOptional: Bool = false, isRepeated: Bool = false
    ) -> CommandArgument {
        CommandArgument(name: name, kind: .value, token: token, isOptional: isOptional, isRepeated: isRepeated)
    }

    private func word(_ token: String) -> CommandArgument {
        CommandArgument(name: token.lowercased(), kind: .word, token: token)
    }

    @Test func `has arguments, some of them optional`() {
        #expect(
            CommandArgument.list(of: "SEND session event [payload]") == [
                value("session"), value("event"), value("payload", isOptional: true),
            ])
    }

    @Test func `has values after a keyword`() {
        #expect(CommandArgument.list(of: "NEXT [COUNT n]") == [value("n", token: "COUNT", isOptional: true)])
        let login = CommandArgument(name: "auth", kind: .block([value("user"), value("password")]), token: "AUTH")
        #expect(CommandArgument.list(of: "HELLO AUTH user password") == [login])
    }

    @Test func `has alternatives`() {
        let form = CommandArgument(name: "dot", kind: .oneOf([word("DOT"), word("MERMAID")]), isOptional: true)
        #expect(CommandArgument.list(of: "DIAGRAM flow [DOT|MERMAID]") == [value("flow"), form])
    }

    @Test func `has repeated arguments`() {
        #expect(CommandArgument.list(of: "SUBSCRIBE name [name …]") == [value("name", isRepeated: true)])
        #expect(CommandArgument.list(of: "UNSUBSCRIBE [name …]") == [value("name", isOptional: true, isRepeated: true)])
        let settings = value("pattern", token: "GET", isRepeated: true)
        #expect(CommandArgument.list(of: "CONFIG GET pattern [pattern …]") == [settings])
    }

    @Test func `has plain numbers as alternatives`() {
        let version = CommandArgument(name: "2", kind: .oneOf([word("2"), word("3")]))
        #expect(CommandArgument.list(of: "HELLO 2|3 [name]") == [version, value("name", isOptional: true)])
    }

    @Test(arguments: CommandTable.all.commands.map(\.syntax))
    func `keeps every word when it is parsed`(syntax: String) {
        let words = syntax.split { " []|…".contains($0) }.dropFirst().map(String.init)
        #expect(Set(CommandArgument.list(of: syntax).flatMap(Self.words)) == Set(words))
    }

    private static func words(_ argument: CommandArgument) -> [String] {
        let token = argument.token.map { [$0] } ?? []
        return switch argument.kind {
        case .value: token + [argument.name]
        case .word: token
        case .oneOf(let parts), .block(let parts): token + parts.flatMap(words)
        }
    }
}
