// Reads one device from the device file.

import Bluetooth
import GameFlow

extension DeviceSpec {
    private static let maxEvents = 100

    /// Nil if something is wrong; the problems are noted. `silence` is the file's default.
    init?(_ json: JSON, number: Int, silence: Duration, _ problems: Problems) {
        let before = problems.sentences.count
        let fields = FieldReader(json, at: "device \(number)", problems)
        defer { fields.finish() }
        let name = fields.required("name", like: "\"bell\"") { json throws(FieldProblem) in try FieldValue.name(json) }
        if let name { fields.location = "device '\(name)'" }
        let address = fields.required("address", like: "\"C0:FF:EE:00:00:01\"") { json throws(FieldProblem) in
            try FieldValue.address(json)
        }
        let kind = fields.optional("kind") { json throws(FieldProblem) in try FieldValue.name(json) }
        let isConnected = fields.optional("connected") { json throws(FieldProblem) in try FieldValue.boolean(json) }
        let ownSilence = fields.optional("silence") { json throws(FieldProblem) in try FieldValue.duration(json) }
        let values = fields.optional("values") { json throws(FieldProblem) in try FieldValue.values(json) } ?? []
        let bindings = Self.bindings(values, fields)
        let advertised = Self.advertised(bindings, values, fields)
        guard let name, let address, problems.sentences.count == before else { return nil }
        self.init(
            name: name, address: address, kind: kind ?? "device", isConnectedFromStart: isConnected ?? false,
            silence: ownSilence ?? silence, values: values, advertised: advertised, bindings: bindings)
        if let sentence = unsendable { problems.record(at: fields.location, "advertises: \(sentence)") }
    }

    private static func bindings(_ values: [NamedValue], _ fields: FieldReader) -> [Binding] {
        let events = fields.optional("events") { json throws(FieldProblem) in try FieldValue.list(json) } ?? []
        if events.count > maxEvents {
            fields.problems.record(at: fields.location, "there are \(events.count) events; a device has \(maxEvents) at most")
        }
        return events.prefix(maxEvents).enumerated().compactMap { index, json in
            Binding(json, of: values, at: "\(fields.location), event \(index + 1)", fields.problems)
        }
    }

    /// Its default advertisement: the file's, or else one that its first binding matches.
    private static func advertised(_ bindings: [Binding], _ values: [NamedValue], _ fields: FieldReader) -> Advertised {
        let said = fields.optional("advertises") { json throws(FieldProblem) in
            let inner = FieldReader(json, at: "\(fields.location), advertises", fields.problems)
            let part = AdvertisedPart(inner) ?? .anything
            let data = inner.optional("data") { json throws(FieldProblem) in
                if let named = values.first(where: { $0.name == json.text }) { return named.bytes }
                return try FieldValue.bytes(json)
            }
            if part == .anything, data != nil {
                inner.problems.record(at: inner.location, "'data' needs a 'service' or a 'company'")
            }
            inner.finish()
            return Advertised(part: part, data: data ?? [])
        }
        return said ?? expected(bindings) ?? Advertised(part: .anything, data: [])
    }

    private static func expected(_ bindings: [Binding]) -> Advertised? {
        for binding in bindings {
            if case .advertised(let part) = binding.trigger {
                return Advertised(part: part, data: binding.pattern.shortestValue ?? [])
            }
        }
        return nil
    }

    /// Why its advertisement cannot be sent; nil if it can.
    private var unsendable: String? {
        do throws(BluetoothError) {
            _ = try advertisement(advertised.data)
            return nil
        } catch {
            return error.description
        }
    }
}
