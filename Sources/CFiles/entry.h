// An entry of the table in page.c, for the file PATH.
{
    PATH,
    (const unsigned char[]){
#embed PATH
    },
    sizeof((const unsigned char[]){
#embed PATH
    }),
},
#undef PATH
