// The JSON Schema of flow files, which is docs/flow.schema.json: it is in the program, so that this stays one file.

package enum FlowSchema {
    package static let text = #"""
        {}
        """#
}
