// A value that a device is told to say: the press of a button, the reading of a sensor.

import Bluetooth

struct Press: Equatable {
    let attribute: AttributeHandle
    let value: [UInt8]
    let isIndication: Bool
}

extension DeviceSpec {
    /// What the bindings wait for, as far as the file says which value that is. Several events may wait for one press.
    var presses: [Press] {
        var presses: [Press] = []
        for binding in bindings {
            guard case .value(let attribute, _) = binding.trigger, let value = binding.pressValue else { continue }
            let press = press(attribute, value)
            if !presses.contains(press) { presses.append(press) }
        }
        return presses
    }

    /// All that the bindings wait for, as people write it: `0x002A pressed`; `0x0030 *` where it can be any value.
    var sayings: [String] {
        var sayings: [String] = []
        for binding in bindings {
            guard case .value(let attribute, _) = binding.trigger else { continue }
            let value = binding.pressValue.map { name(of: $0) ?? $0.hexadecimal } ?? binding.pattern.text
            let saying = "\(attribute) \(value)"
            if !sayings.contains(saying) { sayings.append(saying) }
        }
        return sayings
    }

    /// Sent as an indication if a binding waits for one.
    private func press(_ attribute: AttributeHandle, _ value: [UInt8]) -> Press {
        let isIndication = bindings.contains { $0.trigger == .value(attribute, onlyIndications: true) }
        return Press(attribute: attribute, value: value, isIndication: isIndication)
    }

    private var attributes: [AttributeHandle] {
        var attributes: [AttributeHandle] = []
        for binding in bindings {
            if case .value(let attribute, _) = binding.trigger, !attributes.contains(attribute) { attributes.append(attribute) }
        }
        return attributes
    }

    /// The press that the words of a command mean: nothing, a named value, a handle, or a handle and a value.
    func press(_ words: [String]) throws(CommandError) -> Press {
        switch words.count {
        case 0: return try only(presses)
        case 1: return try press(oneWord: words[0])
        default:
            let attribute: AttributeHandle
            do throws(BluetoothError) {
                attribute = try AttributeHandle(parsing: words[0])
            } catch {
                throw CommandError("ERR", error.description)
            }
            return press(attribute, try value(words[1]))
        }
    }

    private func press(oneWord word: String) throws(CommandError) -> Press {
        if let value = value(named: word) { return try only(attributes.map { press($0, value) }) }
        guard let attribute = try? AttributeHandle(parsing: word) else { return try only([]) }
        return try only(presses.filter { $0.attribute == attribute })
    }

    /// A value's name, or the value itself.
    func value(_ word: String) throws(CommandError) -> [UInt8] {
        if let value = value(named: word) ?? [UInt8](hexadecimal: word) { return value }
        let names = values.isEmpty ? "" : ", or \(values.map(\.name).joined(separator: ", "))"
        throw CommandError(
            "ERR", "'\(word.shortened)' is no value of '\(name)'; it is pairs of hexadecimal digits, like 01FF\(names)")
    }

    private func only(_ presses: [Press]) throws(CommandError) -> Press {
        guard presses.count == 1 else {
            let known = sayings.isEmpty ? "" : "; its events wait for \(sayings.joined(separator: ", "))"
            throw CommandError(
                "ERR",
                "it is not clear what '\(name)' should say; name a handle and a value: BLUETOOTH NOTIFY \(name) 0x002A 01\(known)"
            )
        }
        return presses[0]
    }
}

extension Binding {
    /// The value with which a button is pressed: where any value will do it is 01, as with most buttons. Nil where the event carries
    /// what the value says, since nobody knows that beforehand.
    fileprivate var pressValue: [UInt8]? {
        if case .read = payload { return nil }
        return pattern == .any ? [1] : pattern.shortestValue
    }
}
