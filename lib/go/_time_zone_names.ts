/**
 * The zone names of the tz database (release 2025c), with their abbreviations.
 *
 * The runtime knows the offsets of every zone (Intl), but neither the abbreviations that Go prints
 * for `MST` nor which zone names Go accepts. An entry is `abbreviations with offsets = zones`;
 * indented lines continue the entry above. Offsets without an abbreviation print as a number
 * (`+03`). `@seconds` starts another set of abbreviations at that Unix time. The table covers 1970
 * onwards; abbreviations of earlier years (war time, local mean time) are left out.
 */
export const ZONE_TABLE = `
= Africa/Casablanca Africa/El_Aaiun America/Araguaina America/Argentina/Buenos_Aires
  America/Argentina/Catamarca America/Argentina/ComodRivadavia America/Argentina/Cordoba
  America/Argentina/Jujuy America/Argentina/La_Rioja America/Argentina/Mendoza
  America/Argentina/Rio_Gallegos America/Argentina/Salta America/Argentina/San_Juan
  America/Argentina/San_Luis America/Argentina/Tucuman America/Argentina/Ushuaia America/Asuncion
  America/Bahia America/Belem America/Boa_Vista America/Bogota America/Buenos_Aires
  America/Campo_Grande America/Caracas America/Catamarca America/Cayenne America/Cordoba
  America/Coyhaique America/Cuiaba America/Eirunepe America/Fortaleza America/Godthab
  America/Guayaquil America/Guyana America/Jujuy America/La_Paz America/Lima America/Maceio
  America/Manaus America/Mendoza America/Montevideo America/Noronha America/Nuuk America/Paramaribo
  America/Porto_Acre America/Porto_Velho America/Punta_Arenas America/Recife America/Rio_Branco
  America/Rosario America/Santarem America/Santiago America/Sao_Paulo America/Scoresbysund
  Antarctica/Casey Antarctica/Davis Antarctica/DumontDUrville Antarctica/Mawson Antarctica/Palmer
  Antarctica/Syowa Asia/Aden Asia/Almaty Asia/Anadyr Asia/Aqtau Asia/Aqtobe Asia/Ashgabat
  Asia/Ashkhabad Asia/Atyrau Asia/Baghdad Asia/Bahrain Asia/Baku Asia/Bangkok Asia/Barnaul
  Asia/Bishkek Asia/Brunei Asia/Chita Asia/Choibalsan Asia/Colombo Asia/Dacca Asia/Dhaka Asia/Dili
  Asia/Dubai Asia/Dushanbe Asia/Ho_Chi_Minh Asia/Hovd Asia/Irkutsk Asia/Kabul Asia/Kamchatka
  Asia/Kashgar Asia/Kathmandu Asia/Katmandu Asia/Khandyga Asia/Krasnoyarsk Asia/Kuala_Lumpur
  Asia/Kuching Asia/Kuwait Asia/Magadan Asia/Muscat Asia/Novokuznetsk Asia/Novosibirsk Asia/Omsk
  Asia/Oral Asia/Phnom_Penh Asia/Qatar Asia/Qostanay Asia/Qyzylorda Asia/Rangoon Asia/Riyadh
  Asia/Saigon Asia/Sakhalin Asia/Samarkand Asia/Singapore Asia/Srednekolymsk Asia/Tashkent
  Asia/Tbilisi Asia/Tehran Asia/Thimbu Asia/Thimphu Asia/Tomsk Asia/Ulaanbaatar Asia/Ulan_Bator
  Asia/Urumqi Asia/Ust-Nera Asia/Vientiane Asia/Vladivostok Asia/Yakutsk Asia/Yangon
  Asia/Yekaterinburg Asia/Yerevan Atlantic/Cape_Verde Atlantic/South_Georgia Atlantic/Stanley
  Australia/Eucla Brazil/Acre Brazil/DeNoronha Brazil/East Brazil/West Chile/Continental
  Chile/EasterIsland Etc/GMT+1 Etc/GMT+10 Etc/GMT+11 Etc/GMT+12 Etc/GMT+2 Etc/GMT+3 Etc/GMT+4
  Etc/GMT+5 Etc/GMT+6 Etc/GMT+7 Etc/GMT+8 Etc/GMT+9 Etc/GMT-1 Etc/GMT-10 Etc/GMT-11 Etc/GMT-12
  Etc/GMT-13 Etc/GMT-14 Etc/GMT-2 Etc/GMT-3 Etc/GMT-4 Etc/GMT-5 Etc/GMT-6 Etc/GMT-7 Etc/GMT-8
  Etc/GMT-9 Europe/Astrakhan Europe/Samara Europe/Saratov Europe/Ulyanovsk Indian/Chagos
  Indian/Christmas Indian/Cocos Indian/Kerguelen Indian/Mahe Indian/Maldives Indian/Mauritius
  Indian/Reunion Iran Kwajalein NZ-CHAT Pacific/Apia Pacific/Bougainville Pacific/Chatham
  Pacific/Chuuk Pacific/Easter Pacific/Efate Pacific/Enderbury Pacific/Fakaofo Pacific/Fiji
  Pacific/Funafuti Pacific/Galapagos Pacific/Gambier Pacific/Guadalcanal Pacific/Kanton
  Pacific/Kiritimati Pacific/Kosrae Pacific/Kwajalein Pacific/Majuro Pacific/Marquesas
  Pacific/Nauru Pacific/Niue Pacific/Norfolk Pacific/Noumea Pacific/Palau Pacific/Pitcairn
  Pacific/Pohnpei Pacific/Ponape Pacific/Port_Moresby Pacific/Rarotonga Pacific/Tahiti
  Pacific/Tarawa Pacific/Tongatapu Pacific/Truk Pacific/Wake Pacific/Wallis Pacific/Yap Singapore
CET+1 CEST+2 = Africa/Tunis Arctic/Longyearbyen Atlantic/Jan_Mayen CET Europe/Amsterdam
  Europe/Andorra Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels Europe/Budapest
  Europe/Busingen Europe/Copenhagen Europe/Gibraltar Europe/Ljubljana Europe/Luxembourg
  Europe/Madrid Europe/Malta Europe/Monaco Europe/Oslo Europe/Paris Europe/Podgorica Europe/Prague
  Europe/Rome Europe/San_Marino Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Tirane
  Europe/Vaduz Europe/Vatican Europe/Vienna Europe/Warsaw Europe/Zagreb Europe/Zurich MET Poland
GMT+0 = Africa/Abidjan Africa/Accra Africa/Bamako Africa/Banjul Africa/Bissau Africa/Conakry
  Africa/Dakar Africa/Freetown Africa/Lome Africa/Nouakchott Africa/Ouagadougou Africa/Timbuktu
  America/Danmarkshavn Atlantic/Reykjavik Atlantic/St_Helena Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0
  Etc/Greenwich GMT GMT+0 GMT-0 GMT0 Greenwich Iceland
AST-4 = America/Anguilla America/Antigua America/Aruba America/Blanc-Sablon America/Curacao
  America/Dominica America/Grenada America/Guadeloupe America/Kralendijk America/Lower_Princes
  America/Marigot America/Miquelon America/Montserrat America/Port_of_Spain America/Puerto_Rico
  America/St_Barthelemy America/St_Kitts America/St_Lucia America/St_Thomas America/St_Vincent
  America/Tortola America/Virgin
EST-5 EDT-4 = America/Detroit America/Fort_Wayne America/Indiana/Indianapolis America/Indiana/Vevay
  America/Indianapolis America/Jamaica America/Montreal America/Nassau America/New_York
  America/Nipigon America/Port-au-Prince America/Thunder_Bay America/Toronto Canada/Eastern EST5EDT
  Jamaica US/East-Indiana US/Eastern US/Michigan
CST-6 CDT-5 = America/Belize America/Chicago America/Costa_Rica America/El_Salvador
  America/Guatemala America/Matamoros America/Mexico_City America/Monterrey America/Rainy_River
  America/Tegucigalpa America/Winnipeg CST6CDT Canada/Central Mexico/General US/Central
AEST+10 AEDT+11 = Antarctica/Macquarie Australia/ACT Australia/Brisbane Australia/Canberra
  Australia/Currie Australia/Hobart Australia/Lindeman Australia/Melbourne Australia/NSW
  Australia/Queensland Australia/Sydney Australia/Tasmania Australia/Victoria
MST-7 MDT-6 = America/Boise America/Denver America/Edmonton America/Hermosillo America/Mazatlan
  America/Shiprock America/Yellowknife Canada/Mountain MST7MDT Mexico/BajaSur Navajo US/Mountain
EAT+3 = Africa/Addis_Ababa Africa/Asmara Africa/Asmera Africa/Dar_es_Salaam Africa/Djibouti
  Africa/Kampala Africa/Mogadishu Africa/Nairobi Indian/Antananarivo Indian/Comoro Indian/Mayotte
EET+2 EEST+3 = Africa/Cairo Asia/Beirut Asia/Nicosia EET Egypt Europe/Athens Europe/Bucharest
  Europe/Helsinki Europe/Mariehamn Europe/Nicosia Europe/Sofia
WAT+1 = Africa/Bangui Africa/Brazzaville Africa/Douala Africa/Kinshasa Africa/Lagos
  Africa/Libreville Africa/Luanda Africa/Malabo Africa/Niamey Africa/Porto-Novo
CST+8 CDT+9 = Asia/Chongqing Asia/Chungking Asia/Harbin Asia/Macao Asia/Macau Asia/Shanghai
  Asia/Taipei PRC ROC
PST-8 PDT-7 = America/Ensenada America/Los_Angeles America/Santa_Isabel America/Tijuana
  America/Vancouver Canada/Pacific Mexico/BajaNorte PST8PDT US/Pacific
AST-4 ADT-3 = America/Barbados America/Glace_Bay America/Halifax America/Martinique America/Moncton
  America/Thule Atlantic/Bermuda Canada/Atlantic
CAT+2 = Africa/Blantyre Africa/Bujumbura Africa/Gaborone Africa/Harare Africa/Kigali
  Africa/Lubumbashi Africa/Lusaka Africa/Maputo
UTC+0 = Etc/UCT Etc/UTC Etc/Universal Etc/Zulu UCT UTC Universal Zulu
GMT+0 BST+1 = Europe/Belfast Europe/Guernsey Europe/Isle_of_Man Europe/Jersey Europe/London GB
  GB-Eire
EST-5 = America/Atikokan America/Cayman America/Coral_Harbour America/Panama EST
ACST+9:30 ACDT+10:30 = Australia/Adelaide Australia/Broken_Hill Australia/South
  Australia/Yancowinna
HST-10 = HST Pacific/Honolulu Pacific/Johnston US/Hawaii
MSK+3 MSD+4 @646783200 EET+2 EEST+3 = Europe/Kiev Europe/Kyiv Europe/Uzhgorod Europe/Zaporozhye
MST-7 = America/Creston America/Phoenix MST US/Arizona
NZST+12 NZDT+13 = Antarctica/McMurdo Antarctica/South_Pole NZ Pacific/Auckland
SST-11 = Pacific/Midway Pacific/Pago_Pago Pacific/Samoa US/Samoa
WET+0 WEST+1 = Atlantic/Canary Atlantic/Faeroe Atlantic/Faroe Atlantic/Madeira
BST-11 BDT-10 @436363200 AHST-10 @439034400 HST-10 HDT-9 = America/Adak America/Atka US/Aleutian
CST-6 CDT-5 @688546800 EST-5 @1143961200 CST-6 CDT-5 = America/Indiana/Knox America/Knox_IN
  US/Indiana-Starke
EET+2 EEST+3 @267915600 EET+2 @482799600 EET+2 EEST+3 @1473195600 = Asia/Istanbul Europe/Istanbul
  Turkey
EST-5 EDT-4 @126687600 CDT-5 @152089200 EST-5 EDT-4 = America/Indiana/Marengo
  America/Kentucky/Louisville America/Louisville
IST+2 IDT+3 = Asia/Jerusalem Asia/Tel_Aviv Israel
SAST+2 = Africa/Johannesburg Africa/Maseru Africa/Mbabane
WET+0 CET+1 @228268800 WET+0 WEST+1 @717555600 CET+1 CEST+2 @828234000 WET+0 WEST+1 = Europe/Lisbon
  Portugal WET
-00+0 = Antarctica/Rothera Antarctica/Vostok
ACST+9:30 = Australia/Darwin Australia/North
AEST+10 = Australia/LHI Australia/Lord_Howe
AHST-10 AHDT-9 @436359600 YST-9 @439030800 AKST-9 AKDT-8 = America/Anchorage US/Alaska
AWST+8 AWDT+9 = Australia/Perth Australia/West
CAT+2 CAST+3 @947930400 CAT+2 EAT+3 = Africa/Juba Africa/Khartoum
CET+1 EET+2 @386463600 CET+1 CEST+2 @641775600 CET+1 EET+2 @860108400 CEST+2 @875916000 CET+1 EET+2
  @1364515200 CEST+2 @1382659200 EET+2 = Africa/Tripoli Libya
CST-5 CDT-4 = America/Havana Cuba
CST-6 = America/Regina Canada/Saskatchewan
CST-6 EST-5 EDT-4 @954662400 CDT-5 @972802800 EST-5 EDT-4 = America/Iqaluit America/Pangnirtung
GMT+0 IST+1 = Eire Europe/Dublin
GST+10 GDT+11 @977493600 ChST+10 = Pacific/Guam Pacific/Saipan
HKT+8 HKST+9 = Asia/Hong_Kong Hongkong
IST+2 IDT+3 @820447200 EET+2 EEST+3 = Asia/Gaza Asia/Hebron
IST+5:30 = Asia/Calcutta Asia/Kolkata
JST+9 = Asia/Tokyo Japan
KST+9 KDT+10 = Asia/Seoul ROK
MSK+3 MSD+4 @606870000 EET+2 EEST+3 = Europe/Riga Europe/Tallinn
MSK+3 MSD+4 @641944800 EET+2 EEST+3 = Europe/Chisinau Europe/Tiraspol
MSK+3 MSD+4 @670374000 EET+2 EEST+3 @695779200 MSK+3 MSD+4 @1301180400 MSK+3 MSK+4 = Europe/Moscow
  W-SU
NST-3:30 NDT-2:30 NDDT-1:30 = America/St_Johns Canada/Newfoundland
PST-8 PDT-7 @1604214000 MST-7 = America/Whitehorse Canada/Yukon
WITA+8 = Asia/Makassar Asia/Ujung_Pandang
-00+0 @1108166400 = Antarctica/Troll
@38775600 PKT+5 PKST+6 = Asia/Karachi
@575416800 MSK+3 MSD+4 @670374000 @701820000 MSK+3 MSD+4 @1301180400 MSK+3 MSK+4 @1540681200 MSK+3
  = Europe/Volgograd
@606866400 MSK+3 MSD+4 @670374000 @701820000 MSK+3 MSD+4 @1301180400 MSK+3 MSK+4 = Europe/Kirov
@725421600 WET+0 WEST+1 @740278800 = Atlantic/Azores
AKST-9 PST-8 PDT-7 @1457866800 AKST-9 AKDT-8 @1541325600 AKST-9 PST-8 @1552215600 AKST-9 AKDT-8 =
  America/Metlakatla
AST-4 ADT-3 ADDT-2 = America/Goose_Bay
BST-11 BDT-10 YST-9 @439030800 AKST-9 AKDT-8 = America/Nome
CST-6 CDT-5 @247042800 EST-5 @1143961200 CST-6 CDT-5 @1194159600 EST-5 EDT-4 =
  America/Indiana/Petersburg
CST-6 CDT-5 @891766800 MST-7 MDT-6 @1667116800 CST-6 = America/Chihuahua
CST-6 CDT-5 @891766800 MST-7 MDT-6 @1667116800 CST-6 CDT-5 = America/Ojinaga
CST-6 CDT-5 @891766800 MST-7 MDT-6 @1667116800 MST-7 CST-6 @1678611600 MST-7 MDT-6 =
  America/Ciudad_Juarez
CST-6 CDT-5 @972802800 EST-5 @986112000 CST-6 CDT-5 = America/Rankin_Inlet
CST-6 CDT-5 @972802800 EST-5 @986112000 CST-6 CDT-5 @1162105200 EST-5 @1173600000 CST-6 CDT-5 =
  America/Resolute
CST-6 CDT-5 @972802800 EST-5 EDT-4 = America/Kentucky/Monticello
CST-6 EST-5 @290584800 CST-6 CDT-5 @694260000 CST-6 EST-5 @1113112800 CST-6 CDT-5 = America/Managua
CST-6 EST-5 @828864000 CST-6 CDT-5 = America/Merida
CST-6 EST-5 @828864000 CST-6 CDT-5 @877849200 EST-5 EDT-4 @902037600 CST-6 CDT-5 @1422777600 EST-5
  = America/Cancun
EET+2 EEST+3 @1473282000 EET+2 @1521939600 EET+2 EEST+3 = Asia/Famagusta
EET+2 EEST+3 @1666904400 = Asia/Damascus
EET+2 EEST+3 @1666908000 = Asia/Amman
EET+2 MSK+3 MSD+4 @701827200 EET+2 EEST+3 MSD+4 @780447600 MSK+3 MSD+4 @859683600 EET+2 EEST+3
  MSK+4 @1414274400 MSK+3 = Europe/Simferopol
EST-5 @104914800 CST-6 CDT-5 = America/Menominee
EST-5 AST-4 = America/Santo_Domingo
EST-5 EDT-4 @1143961200 CST-6 CDT-5 = America/Indiana/Tell_City
EST-5 EDT-4 @1143961200 CST-6 CDT-5 @1194159600 EST-5 EDT-4 = America/Indiana/Vincennes
EST-5 EDT-4 @1143961200 CST-6 CDT-5 EDT-4 @1194156000 EST-5 EDT-4 = America/Indiana/Winamac
EST-5 EDT-4 @1425798000 AST-4 @1520751600 EST-5 EDT-4 = America/Grand_Turk
GMT+0 WAT+1 = Africa/Sao_Tome
KST+8:30 KST+9 = Asia/Pyongyang
MMT-0:44:30 GMT+0 = Africa/Monrovia
MSK+3 MSD+4 @606870000 EET+2 EEST+3 @1301184000 EET+2 = Europe/Kaliningrad
MSK+3 MSD+4 @606870000 EET+2 EEST+3 @891133200 CET+1 CEST+2 @941331600 EET+2 EEST+3 =
  Europe/Vilnius
MSK+3 MSD+4 @670374000 EET+2 EEST+3 @1301184000 = Europe/Minsk
MST-7 CST-6 = America/Swift_Current
MST-7 MDT-6 @1067155200 CST-6 CDT-5 = America/North_Dakota/New_Salem
MST-7 MDT-6 @1289116800 CST-6 CDT-5 = America/North_Dakota/Beulah
MST-7 MDT-6 @720000000 CST-6 CDT-5 = America/North_Dakota/Center
MST-7 MDT-6 @941356800 CST-6 CDT-5 @972802800 CST-6 EST-5 @986115600 MST-7 MDT-6 =
  America/Cambridge_Bay
MST-7 MDT-6 CDT-5 @1288508400 CST-6 CDT-5 = America/Bahia_Banderas
PST+8 PDT+9 = Asia/Manila
PST-8 PDT-7 @1425808800 MST-7 = America/Fort_Nelson
PST-8 PDT-7 @325677600 YDT-8 @341402400 YST-9 PST-8 PDT-7 @439030800 AKST-9 AKDT-8 = America/Juneau
PST-8 PDT-7 @84013200 MST-7 = America/Dawson_Creek
PST-8 PDT-7 MDT-6 @309945600 MST-7 MDT-6 = America/Inuvik
SAST+2 @637970400 WAT+1 CAT+2 = Africa/Windhoek
WAT+1 WAST+2 = Africa/Ndjamena
WET+0 WEST+1 @246236400 WET+0 CET+1 CEST+2 @325468800 WET+0 WEST+1 @357523200 CET+1 =
  Africa/Algiers
WET+0 WEST+1 @448243200 CET+1 CEST+2 = Africa/Ceuta
WIB+7 = Asia/Jakarta
WIB+7 WITA+8 = Asia/Pontianak
WIT+9 = Asia/Jayapura
YST-9 PST-8 PDT-7 @1604214000 MST-7 = America/Dawson
YST-9 PST-8 PDT-7 @439030800 AKST-9 AKDT-8 = America/Sitka
YST-9 YDT-8 @439030800 AKST-9 AKDT-8 = America/Yakutat
`;
