/**
 * The differences of Unicode 17.0's confusables.txt from the 13.0 table in `unhomoglyph`.
 * Tokens are `source>target`, hex code points joined by `+`. Data (c) Unicode, Inc., Unicode License V3.
 *
 * Only sources of the pinned repertoire (Unicode 16.0) are listed, and a target that is newer than
 * it is renamed to its oldest lookalike, so that no ICU can order or fold a skeleton differently.
 * Source: https://www.unicode.org/Public/security/17.0.0/confusables.txt
 */
export const CONFUSABLES_SINCE_13 = `
fe>70 14b>6e+329 192>66 19b>3bb+338 1bf>70 2a9>66+6e+329 3e4>427 3e5>447 3ec>36 3ed>6f 3f8>70 448>77
45f>75+329 4cf>6c 572>6e+329 582>69 587>565+69 67a>62a 68f>62f+6db 752>649+6db 8be>649+6db+306
8bf>62a+306 8c0>649+615+306 8c1>686+306 8c2>643+306 90d>90f+306 911>905+93e+306 93b>93e+93a 93f>9bf
945>306 949>93e+306 969>33 972>905+306 973>905+93a 974>905+93e+93a 975>905+94f 9e6>6f 9f0>9b0
a07>92a+94d+91f+9bf a08>92a+94d+91f+a40 a09>a73+956 a0a>a73+957 a0f>92a+94d+91f+947 a10>a05+948 a15>935
a1c>924+94d+924 a1f>91f a20>920 a24>909 a27>92a a2b>922 a2e>92d a35>939 a38>92e a3f>9bf a41>956 a42>957
a47>947 a48>948 a72>92a+94d+91f aaa>447 ab0>968 ae9>33 aeb>447 b66>6f b94>b92+bb3 bb8>bb6 c16>c96+323
c90>c10 c97>c17 c9d>c1d c9f>c1f ca6>c26 ca8>c28 cb0>c30 cb3>c33 cbf>c3f cc1>c41 cc3>c43 ce6>4f
d10>bc6+d0e d16>bb5 d1f>73 d25>bae d46>bc6 d47>bc7 d48>bc6+bc6 d7a>ba3+d4d d7d>d32+d4d d7e>d33+d4d
d8d>dc3+dd8 d92>d91+dca d93>d91+dd9 db5>d91 db6>d9b db9>d94 dc0>da0 dc4>db7 f7b>f7a+f7a f7d>f7c+f7c
1000>d30+102c 1002>d30 1004>63 1023>d30+102c+1039+d30+102c 102a>101e+103c+b47+102c+103a 1031>b47 105a>63
1061>101b+103e 1081>d30+103e 10d7>6f+102c 10d8>d30 1734>1715 178f>178a 17e0>6f 1e9e>df 256a>1c2 2630>39e
2c82>42 2c83>299 2c8b>3c2 2c8c>2c6b 2c8d>2c6c 2c8f>29c 2c90>4f+335 2c91>6f+335 2c93>69 2c97>28c 2c99>28d
2c9b>274 2c9c>33 2c9d>293 2ca1>3c0 2ca7>1d1b 2ca9>79 2caf>3c8 2cb0>a64c 2cb2>2d+307 2cb3>2d+307
2cb5>3c+b7 2cb6>39e 2cb7>2261 2cbb>2d 2cbd>77 2cc0>554 2cc1>3fc 2cc4>33 2cc5>21d 2cc7>2f 2ccb>39 2cce>50
2ccf>70 2cd3>36 2cdc>36 2cdd>1e9f 2ce0>278 2ce1>278 2ce8>554 2ed1>1110+30fc+1102+110c
2f59>1102+116e+4e28 2fa7>1110+30fc+1102+110c 3126>513f 4695>278ae 4e15>110c+1169 4e1b>1109+1109+30fc
4e8e>1b122 4eca>1109+30fc+1100 535f>1106+1161 5408>1109+30fc+1106 723f>1102+116e+4e28
9577>1110+30fc+1102+110c a7d6>df a7da>245 a7db>3bb a7dc>245+338 fb5e>62a fb5f>62a fb60>62a fb61>62a
101a0>554 114d0>6f 1ccd6>41 1ccd7>42 1ccd8>43 1ccd9>44 1ccda>45 1ccdb>46 1ccdc>47 1ccdd>48 1ccde>6c
1ccdf>4a 1cce0>4b 1cce1>4c 1cce2>4d 1cce3>4e 1cce4>4f 1cce5>50 1cce6>51 1cce7>52 1cce8>53 1cce9>54
1ccea>55 1cceb>56 1ccec>57 1cced>58 1ccee>59 1ccef>5a 1ccf0>4f 1ccf1>6c 1ccf2>32 1ccf3>33 1ccf4>34
1ccf5>35 1ccf6>36 1ccf7>37 1ccf8>38 1ccf9>39 1f34f>1f34e 20674>51f5 21533>58f7 21587>591a 216a7>216a8
22505>5f9a 23d40>6d85 248fd>73a5 2511a>25119 25ad4>8d1b 2659d>265a8 26d06>26c36 2aec5>24814 2d161>5351
31e7c>7dc7
`;
