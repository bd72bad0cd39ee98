"""The demo's canned replies."""

#: Shortcut -> text, with the places that the page fills in.
CANNED = {
    "bye": "You are welcome, {{customer.name}}. Have a nice day!",
    "kakunin": "{{customer.name}} 様、ご連絡ありがとうございます。ただいま確認いたしますので、"
    "少々お待ちください。",
    "kiem-tra": "Dạ em chào {{customer.name}}, em đang kiểm tra đơn hàng và sẽ báo lại ngay ạ.",
    "photo": "Could you send us a photo of it, {{customer.name}}? Then we can help you faster.",
    "refund": "I have sent the refund. Your bank needs two to five working days until you see it.",
    "return": "You can return it free of charge within 30 days. The label is on its way to you.",
    "sorry": "I am sorry for the trouble, {{customer.name}}. I am looking into it right now.\n"
    "{{admin.name}}",
    "xin-loi": "Dạ em xin lỗi vì sự bất tiện này ạ. Em xử lý ngay cho mình.",
}
