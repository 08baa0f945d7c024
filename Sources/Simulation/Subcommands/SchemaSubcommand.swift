// `schema`: the JSON Schema of flow files, for editors.

import Statecharts
import Client

extension Subcommand {
    static let schema = Subcommand(
        .offline, syntax: "schema",
        summary: "Prints the JSON Schema of flow files, for completion and checks in editors.",
        details: """
            An editor that knows JSON Schema takes it from a file: in VS Code, "json.schemas": [{"fileMatch": ["*.json5"], "url": \
            "./flow.schema.json"}]. It knows the shape of a flow file; what 'check' finds is more.
            """,
        examples: ["gamectl schema > flow.schema.json"], words: 0...0
    ) { context, _ throws(ControlError) in
        try context.output.write(FlowSchema.text)
        return .accepted
    }
}
