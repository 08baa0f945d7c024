// NEW: begins a session.

import GameFlow
import Memory
import RESP

extension Command {
    package static let new = Command(
        name: "NEW", group: .sessions, needs: .masters(.session),
        summary: "Creates a session in the flow's first state or, with {\"state\":…}, in another. Replies with the state.",
        details: """
            An object with a `state` creates the session in that state: its `data`, or else its other members, are the \
            state's data; with `data`, other members are refused. Timers that are not given start with their full length. \
            `context` sets the flow's parameters, which DESCRIBE shows: {"context":{"minutes":45}}. Omitted parameters have \
            their defaults.
            """,
        examples: [
            "NEW room game", #"NEW room game '{"state":"choosingLevel","episode":2}'"#,
            #"NEW room game '{"state":"choosingLevel","data":{"episode":2}}'"#,
        ],
        flags: [.changes], longWord: 3,
        Form(NewRequest.self))
}

package struct NewRequest: SessionRequest {
    package let name: ByteString
    let flow: String
    let beginning: JSON?

    package static let form = CommandForm(
        .required("session", .bytes, "its name", member: "name"), .required("flow", .text, "its flow"), .beginning
    ) { NewRequest(name: $0, flow: $1, beginning: $2) }
    package static var command: Command { .new }

    package func run(_ call: Call) throws(CommandError) -> SimpleText {
        // There is no session yet: if this traps, nothing is on disk that could trap again.
        call.mark(nil)
        let session = try call.beginWithinQuota { () throws(CommandError) in
            try call.host.begin(name, try call.host.flow(named: flow), beginning, from: call.source, by: call.actor)
        }
        return SimpleText(session.machine.stateName)
    }
}

extension CommandParameter<JSON?> {
    /// How a session begins: on the wire an object as one word, and in a JSON object the members of that.
    static let beginning: CommandParameter = {
        let (word, members) = (CommandParameter.optional("json", .json), beginningMembers)
        return CommandParameter(word.argument, members: members, words: word.words, read: word.read) {
            json, limits throws(CommandError) in
            let given = members.compactMap { member in json.given(member).map { JSON.Member(member.member, $0) } }
            return given.isEmpty ? nil : try WordParser<JSON>.json.fromJSON(.object(given), limits)
        }
    }()

    private static let beginningMembers = [
        CommandArgument("context", isOptional: true, type: .object, summary: "the flow's parameters"),
        CommandArgument("state", isOptional: true, summary: "the initial state"),
        CommandArgument("data", isOptional: true, type: .any, summary: "the state's data"),
    ]
}
