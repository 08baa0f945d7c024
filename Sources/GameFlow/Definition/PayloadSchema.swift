// A value and its bounds as JSON Schema says them: for clients that draw a field, and check what is typed into it.

extension PayloadKind {
    /// `{"name":"episode","type":"integer","minimum":1,"maximum":4}`: JSON Schema, with the field's name before it.
    public var schema: JSON { .object([JSON.Member("name", .string(name))] + schemaMembers) }

    private var schemaMembers: [JSON.Member] {
        var members = [JSON.Member("type", .string(shape.schemaType))] + bounds.schema
        if let ownHint { members.append(JSON.Member("description", .string(ownHint))) }
        guard !fields.isEmpty else { return members }
        let required = fields.filter { !$0.isOptional }.map { JSON.string($0.name) }
        members.append(JSON.Member("properties", .object(fields.map { JSON.Member($0.name, .object($0.schemaMembers)) })))
        if !required.isEmpty { members.append(JSON.Member("required", .array(required))) }
        return members
    }
}

extension Parameter {
    /// The same for a parameter, with its default.
    public var schema: JSON {
        let type = JSON.Member("type", .string(shape.schemaType))
        let fallback = standard.map { [JSON.Member("default", $0)] } ?? []
        return .object([JSON.Member("name", .string(name)), type] + bounds.schema + fallback)
    }
}

extension PayloadKind.Shape {
    /// JSON Schema's name of it.
    fileprivate var schemaType: String {
        switch self {
        case .integer: "integer"
        case .number: "number"
        case .text: "string"
        case .boolean: "boolean"
        case .object: "object"
        }
    }
}
