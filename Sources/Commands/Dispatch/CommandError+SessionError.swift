import GameFlow
import RESP
import Sessions

extension CommandError {
    package init(_ error: SessionError) { self.init(error.code, error.sentence) }

    package static func noFlow(_ name: String, _ flows: [FlowKind]) -> CommandError { CommandError(.noFlow(name, flows)) }
}
