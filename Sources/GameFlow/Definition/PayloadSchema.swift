// What an event carries, as JSON Schema says it: for clients that draw a field, and check what is typed into it.

extension PayloadKind {
    /// `{"name":"episode","type":"integer","minimum":1,"maximum":4}`: JSON Schema, with the field's name before it.
    public var schema: JSON {
        var members = [JSON.Member("name", .string(name)), JSON.Member("type", .string(shape.schemaType))]
        if let hint { members.append(JSON.Member("description", .string(hint))) }
        return .object(members)
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
