// BLUETOOTH: what simulated devices do.

import RESP

extension Command {
    package static let bluetooth: Command = Command(
        name: "BLUETOOTH", group: .bluetooth, needs: .plays(.everything),
        syntax: "BLUETOOTH LIST|CONNECT device|DISCONNECT device|NOTIFY device [handle] [value]|ADVERTISE device [value]",
        summary: "Lists the simulated Bluetooth devices, or makes one act.",
        details: """
            The devices come from the file that the daemon was started with: --bluetooth FILE. LIST shows for each whether it is \
            connected, which notifications it can send, and how many events came of it. CONNECT and DISCONNECT reply with \
            OK. NOTIFY sends a new value of an attribute: hexadecimal digits, or a name that the file gives to a value; a \
            button with only one meaning needs neither handle nor value. ADVERTISE sends the file's advertisement, or \
            one with other data. Both reply with the number of events that sessions accepted: 0 if nothing is bound to it, \
            if the sessions refused them (their HISTORY says why), or if it repeats an advertisement. A device that is not \
            connected cannot notify: NOTCONNECTED. Every client that may send events may do this.
            """,
        examples: ["BLUETOOTH LIST", "BLUETOOTH NOTIFY turn-button", "BLUETOOTH NOTIFY thermometer 0x0030 D700"],
        words: 2...5, flags: [.changes], forms: [Form("LIST", needs: .reads(.everything))]
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
        var map = reply.beginMap()
        for (name, value) in device.identity { map.field(name, value) }
        map.field("connected", device.isConnected)
        map.field("says", device.sayings)
        for (name, count) in device.counts { map.field(name, count) }
        map.end()
    }
}
