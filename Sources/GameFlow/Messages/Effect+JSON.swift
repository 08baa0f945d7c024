// Errands in saved states, as JSON: `{"send":"ready","to":"lobby","data":{"player":"ann"}}`.

import Texts

extension Effect {
    /// The errand as a state's data have it.
    public var json: JSON {
        switch self {
        case .send(let event, let data, let name):
            .object(
                [JSON.Member("send", .string(event)), JSON.Member("to", .string(name))]
                    + (data.map { [JSON.Member("data", $0)] } ?? []))
        case .begin(let child, let flow, let context):
            ["begin": .string(child), "flow": .string(flow), "context": context]
        case .drop(let child): ["drop": .string(child)]
        }
    }

    /// Reads it back.
    public init(json: JSON) throws {
        if let event = json["send"]?.text, let name = json["to"]?.text {
            self = .send(event: event, data: json["data"], to: name)
        } else if let child = json["begin"]?.text, let flow = json["flow"]?.text {
            self = .begin(child: child, flow: flow, context: json["context"] ?? .null)
        } else if let child = json["drop"]?.text {
            self = .drop(child: child)
        } else {
            throw RestorationError(
                "an errand is {\"send\":event,\"to\":session}, {\"begin\":child,\"flow\":name,\"context\":{}} or {\"drop\":child}, and not \(json.description.shortened)"
            )
        }
    }
}

extension Outbox: Codable {
    /// Saves the errands; the rest is told at once, and not again after a restart.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        for errand in effects { try container.encode(errand.json) }
    }

    /// Restores the errands that were left.
    public convenience init(from decoder: any Decoder) throws {
        guard let decoder = decoder as? StateDecoder else {
            throw RestorationError("what a state asks of others can only be restored by a machine")
        }
        let errands = decoder.json ?? .array([])
        guard case .array(let errands) = errands else { throw RestorationError("errands are a list") }
        self.init(errands: try errands.map { try Effect(json: $0) })
    }
}
