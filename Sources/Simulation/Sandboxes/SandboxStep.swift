// A user's step in a sandbox, repeated whenever the sandbox is walked from its beginning.

import Commands
import GameFlow
import Memory
import RESP

/// A command to one of the sandbox's sessions.
enum SandboxAction {
    case send(String, JSON?, EventSource)
    case pause(String?)
    case resume(String?)
    case extend(String, by: String)
    case force(String, JSON?)
}

extension EventSource {
    /// Those that a sandbox's user may play: timers are its own.
    package static let ofSandboxes: [EventSource] = allCases.filter { $0 != .timer }
}

struct SandboxStep {
    let at: Instant
    let session: String
    let action: SandboxAction

    /// The source of its event; a person does the other actions.
    var source: EventSource { if case .send(_, _, let source) = action { source } else { .ui } }

    /// Does it. Throws if it is refused.
    func execute(by client: Client) throws(CommandError) {
        let name = ByteString(session)
        var refusal: CommandError?
        func perform(_ request: some CommandRequest) {
            client.call.perform(request) { if case .failure(let error) = $0 { refusal = error } }
        }
        switch action {
        case .send(let event, let payload, _):
            try SendRequest.with(session: session, event: event, payload: payload) { perform($0) }
        case .pause(let timer): perform(PauseRequest(session: name, timer: timer))
        case .resume(let timer): perform(ResumeRequest(session: name, timer: timer))
        case .extend(let timer, let by):
            let members: JSON = ["session": .string(session), "timer": .string(timer), "by": .string(by)]
            perform(try ExtendRequest.form.read(members, within: client.host.limits))
        case .force(let state, let data): perform(ForceRequest(session: name, state: state, data: data))
        }
        if let refusal { throw refusal }
    }

    /// Roughly the memory that it takes, in bytes.
    var size: Int { 64 + json.description.utf8.count }

    /// For people: an action that is no event has its command in place of one, as in a history.
    var json: JSON {
        let (event, payload): (String, JSON?) =
            switch action {
            case .send(let event, let payload, _): (event, payload)
            case .pause(let timer): ("PAUSE", timer.map { ["timer": .string($0)] })
            case .resume(let timer): ("RESUME", timer.map { ["timer": .string($0)] })
            case .extend(let timer, let by): ("EXTEND", ["timer": .string(timer), "by": .string(by)])
            case .force(let state, let data): ("FORCE", ["state": .string(state), "data": data ?? .object([])])
            }
        return [
            "at_ms": .integer(Instant.zero.duration(to: at).milliseconds), "session": .string(session),
            "event": .string(event), "payload": payload ?? .null,
        ]
    }
}
