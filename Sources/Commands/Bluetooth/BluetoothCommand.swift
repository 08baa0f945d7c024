// BLUETOOTH: what simulated devices do.

import RESP

extension Command {
    package static let bluetooth: Command = Command(
        name: "BLUETOOTH", group: .bluetooth,
        syntax: "BLUETOOTH LIST|CONNECT device|DISCONNECT device|NOTIFY device [handle] [value]|ADVERTISE device [value]",
        summary: "The simulated Bluetooth devices: lists them, or has one do something.",
        details: """
            The devices come from the file that gamed was started with: --bluetooth FILE. LIST tells of each whether it is \
            connected, what it can be made to say, and what has come of it. CONNECT and DISCONNECT reply with OK. NOTIFY \
            has a device say that an attribute has a new value: hexadecimal digits, or a name that the file gives a value; \
            a button with one meaning needs neither handle nor value. ADVERTISE has it say what the file tells, or with \
            other data. Both reply with the number of events that sessions took: 0 if nothing is bound to it, if the \
            sessions refused them (their HISTORY says why), or if it repeats an advertisement. A device that is not \
            connected notifies nobody: NOTCONNECTED. Every client may do this that may send events.
            """,
        examples: ["BLUETOOTH LIST", "BLUETOOTH NOTIFY turn-button", "BLUETOOTH NOTIFY thermometer 0x0030 D700"],
        words: 2...5, flags: [.changes]
    ) { call throws(CommandError) in
        let (devices, what) = (call.host.devices, call.arguments[1])
        if what.isWord("LIST"), call.count == 2 {
            let reports = devices.reports
            call.reply.append(arrayOf: reports.count)
            for report in reports { append(report, call.reply) }
        } else if what.isWord("CONNECT"), call.count == 3 {
            try devices.connect(call.text(2))
            call.reply.append(.ok)
        } else if what.isWord("DISCONNECT"), call.count == 3 {
            try devices.disconnect(call.text(2))
            call.reply.append(.ok)
        } else if what.isWord("NOTIFY"), call.count >= 3 {
            call.reply.append(integer: try devices.notify(call.text(2), (3..<call.count).map(call.text)))
        } else if what.isWord("ADVERTISE"), call.count == 3 || call.count == 4 {
            call.reply.append(integer: try devices.advertise(call.text(2), call.count == 4 ? call.text(3) : nil))
        } else {
            throw .syntax(call.command.syntax)
        }
    }

    private static func append(_ device: DeviceReport, _ reply: ReplyBuffer) {
        reply.append(mapOf: device.identity.count + device.counts.count + 2)
        for (name, value) in device.identity {
            reply.append(bulk: name)
            reply.append(bulk: value)
        }
        reply.append(bulk: "connected")
        reply.append(boolean: device.isConnected)
        reply.append(bulk: "says")
        reply.append(arrayOf: device.sayings.count)
        for saying in device.sayings { reply.append(bulk: saying) }
        for (name, count) in device.counts {
            reply.append(bulk: name)
            reply.append(integer: count)
        }
    }
}
